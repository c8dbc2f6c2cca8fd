/* meta_fixed.h: the parts of the editor's definitions that no table of rows holds.
 *
 * */
#ifndef EE_LUA_META_FIXED_H
#define EE_LUA_META_FIXED_H

extern const char ee_lua_meta_head[];    /* classes that functions and constructors speak of */
extern const char ee_lua_meta_quality[]; /* strategies and parts of ee.quality */
extern const char ee_lua_meta_library[]; /* ee.get and its kin, ee.text, ee.stats */
extern const char ee_lua_meta_tests[];   /* the globals of rule tests */

#endif
