/** `REGISTRY/NAME:TAG`: where an image is pushed to. There is no default registry. */
export function parseReference(text) {
  const match = /^([a-z0-9.-]+(?::\d+)?|\[[0-9a-f:]+\](?::\d+)?)\/([a-z0-9._/-]+):([\w][\w.-]{0,127})$/i.exec(
    text,
  )
  const registry = match?.[1]
  if (!match || !/[.:]|^localhost$/.test(registry))
    throw new Error(`${text} does not name a registry, an image and a tag. Write it as REGISTRY/NAME:TAG.`)
  return { registry, name: match[2], tag: match[3] }
}

/** The address of a registry. Like other tools, only this machine is asked without TLS. */
export function registryAddress(registry) {
  const { hostname } = new URL(`https://${registry}`)
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  return `${isLocal ? 'http' : 'https'}://${registry}`
}
