export function npmPackage(): Buffer
