/** What the page needs of the table of roles, without the shapes of answers. */
export { capabilities } from './capability.ts'
export { roles } from './role.ts'
