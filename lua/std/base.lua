-- Small helpers of `ee` that need no C.
local ee = ...

--- True when `x` lies within `tolerance` (0) of `y`, inclusive; false when either is not a number.
--- relative: the tolerance is a share of |y|.
function ee.near(x, y, tolerance, relative)
  if type(x) ~= "number" or type(y) ~= "number" then return false end
  return ee.prim.within_tolerance(x, y, tolerance or 0, relative)
end
