import { downloadAddress, publicNames } from './public-names.mjs'

/**
 * The manifest of the plugin `kubectl tapdeck` for krew.
 *
 * @param {{version: string, summary: string, archives: readonly {fileName: string, sha256: string, os: string, architecture: string}[]}} release
 */
export function krewManifest({ version, summary, archives }) {
  const platforms = archives.map(
    ({
      fileName,
      sha256,
      os,
      architecture,
    }) => `  - selector: { matchLabels: { os: ${os}, arch: ${architecture} } }
    uri: ${downloadAddress(version, fileName)}
    sha256: ${sha256}
    bin: tapdeck/tapdeck
`,
  )
  return `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: tapdeck
spec:
  version: v${version}
  homepage: ${publicNames.repository}
  shortDescription: ${summary}
  description: |
    Searches the recorded network traffic of a cluster: live calls, the past, snapshots and causes of incidents.
    \`kubectl tapdeck --context NAME calls\` forwards a port to the hub for as long as the command runs.
  caveats: |
    A hub must be installed in the cluster: ${publicNames.repository}#kubernetes
    On macOS, Node.js 20.19 or newer must be on the path.
  platforms:
${platforms.join('')}`
}
