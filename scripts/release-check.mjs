import { say } from './checkout.mjs'
import { checkRelease } from './release/check-release.mjs'
import { rootManifest } from './release/sources.mjs'

/** `npm run release:check -- vX.Y.Z` says what is missing for a release under this tag. Default: the tag of the version. */
try {
  checkRelease(process.argv[2] ?? `v${rootManifest.version}`)
  say(`Version ${rootManifest.version} can be released.`)
} catch (error) {
  say(error.message)
  process.exitCode = 1
}
