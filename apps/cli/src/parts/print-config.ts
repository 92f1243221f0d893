/** Apart, because the writer of YAML takes long to load. */
export { printConfig } from '@tapdeck/config'
