export function imageConfig(): {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
  readonly Volumes: object
  readonly ExposedPorts: object
  readonly Labels: Readonly<Record<string, string>>
}
