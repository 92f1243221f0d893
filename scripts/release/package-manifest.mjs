import { nativePackages } from '../bundles.mjs'
import { publicLinks, publicNames } from './public-names.mjs'
import { lockedPackages, rootManifest } from './sources.mjs'

/** The manifest of the installed program: of the npm package, and of the image. */
export function packageManifest() {
  const { version, description, license, type, engines } = rootManifest
  return {
    name: publicNames.npm,
    version,
    description,
    keywords: ['network', 'kubernetes', 'observability', 'packet-capture', 'pcap', 'mcp'],
    license,
    ...publicLinks(),
    mcpName: publicNames.mcp,
    type,
    bin: { tapdeck: 'dist/tapdeck.mjs' },
    engines,
    dependencies: Object.fromEntries(
      nativePackages.map((name) => [name, lockedPackages[`node_modules/${name}`].version]),
    ),
  }
}
