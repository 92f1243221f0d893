import { beginPart } from '@tapdeck/config/begin-part'

beginPart()
// A bundle of its own: loading it takes a while, and this process may lose its parent meanwhile.
await import(new URL('./worker-main.mjs', import.meta.url).href)
