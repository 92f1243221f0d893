import { tapdeckVersion } from '../version.ts'

/** The image of this release, whose name the build sets (`scripts/bundles.mjs`); undefined in a build without public names. */
export function defaultImage(name = process.env.TAPDECK_RELEASE_IMAGE): string | undefined {
  return name ? `${name}:${tapdeckVersion}` : undefined
}
