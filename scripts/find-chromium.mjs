import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of a browser on this machine that runs: TAPDECK_CHROMIUM, or one of the usual names. */
export function findChromium(env = process.env) {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean)
  const usual = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  const wanted = env.TAPDECK_CHROMIUM ? [env.TAPDECK_CHROMIUM] : usual
  return wanted.find((path) => spawnSync(path, ['--version'], { timeout: 20_000 }).status === 0)
}
