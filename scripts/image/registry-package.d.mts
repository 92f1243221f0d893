export function registryPackage(name: string, version: string, integrity: string): string
