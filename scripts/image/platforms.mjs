/** The architectures that an image can have, with their names in Node.js and npm. */
export const NPM_CPU = { amd64: 'x64', arm64: 'arm64' }

/** The architecture of this machine, as images call it. */
export function thisArchitecture() {
  return Object.keys(NPM_CPU).find((one) => NPM_CPU[one] === process.arch) ?? process.arch
}

/** `linux/amd64,linux/arm64` → amd64 and arm64, in that order. */
export function parsePlatforms(text) {
  const chosen = text.split(',').map((one) => one.trim().replace(/^linux\//, ''))
  const unknown = chosen.find((one) => !(one in NPM_CPU))
  if (unknown !== undefined)
    throw new Error(
      `There is no image for ${unknown}: choose linux/amd64, linux/arm64 or both, with a comma.`,
    )
  return Object.keys(NPM_CPU).filter((one) => chosen.includes(one))
}
