/** Apart, because its schemas take longer to load than all else of a command: it is imported for the first request. */
export { operations } from '@tapdeck/api'
