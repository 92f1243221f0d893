import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

/** Installs and builds what is missing, then becomes the command line with these arguments. */
export async function runCli(args) {
  const bundle = join(root, 'dist', 'tapdeck.mjs')
  hideToken(args)
  try {
    await ensureInstalled()
    const { ensureBuilt } = await import('./build.mjs')
    await ensureBuilt()
  } catch (error) {
    say(error.message)
    process.exit(1)
  }
  process.argv = [process.execPath, bundle, ...args]
  await import(pathToFileURL(bundle).href)
}

/** Installing and building take a while: a token is hidden from the process list at once. The command line hides the rest. */
function hideToken(args) {
  const shown = args.map((arg, at) =>
    args[at - 1] === '--token' ? '***' : arg.startsWith('--token=') ? '--token=***' : arg,
  )
  if (shown.some((arg, at) => arg !== args[at])) process.title = ['tapdeck', ...shown].join(' ')
}
