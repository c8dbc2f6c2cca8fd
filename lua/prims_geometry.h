/* prims_geometry.h: the primitives of boxes, polygons, points and matching. Their rows stand in prims.c.
 */
#ifndef EE_LUA_PRIMS_GEOMETRY_H
#define EE_LUA_PRIMS_GEOMETRY_H

#include <lua.h>

int ee_lua_prim_iou(lua_State *L);
int ee_lua_prim_giou(lua_State *L);
int ee_lua_prim_diou(lua_State *L);
int ee_lua_prim_ciou(lua_State *L);
int ee_lua_prim_ios(lua_State *L);
int ee_lua_prim_ioa(lua_State *L);
int ee_lua_prim_iou_matrix(lua_State *L);
int ee_lua_prim_polygon_area(lua_State *L);
int ee_lua_prim_polygon_iou(lua_State *L);
int ee_lua_prim_euclidean(lua_State *L);
int ee_lua_prim_manhattan(lua_State *L);
int ee_lua_prim_cosine(lua_State *L);
int ee_lua_prim_assign(lua_State *L);
int ee_lua_prim_greedy_match(lua_State *L);
int ee_lua_prim_optimal_match(lua_State *L);

#endif
