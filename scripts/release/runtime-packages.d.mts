interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}
export function runtimePackages(locked: Readonly<Record<string, Locked>>): {
  readonly path: string
  readonly name: string
  readonly locked: Locked
  readonly dependencies: string[]
}[]
