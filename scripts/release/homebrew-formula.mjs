import { downloadAddress, publicNames } from './public-names.mjs'

/** The Homebrew formula: the npm package, with the Node.js of Homebrew. */
export function homebrewFormula({ version, summary, license, fileName, sha256 }) {
  return `class Tapdeck < Formula
  desc "${summary}"
  homepage "${publicNames.repository}"
  url "${downloadAddress(version, fileName)}"
  sha256 "${sha256}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tapdeck --version")
  end
end
`
}
