import release from '../../../../scripts/release.json' with { type: 'json' }
import { tapdeckVersion } from '../version.ts'

/** The image of this release; undefined in a build of no release, whose names are placeholders. */
export function defaultImage(names: { readonly image: string } = release): string | undefined {
  return names.image.includes('OWNER') ? undefined : `${names.image}:${tapdeckVersion}`
}
