export function chartPackage(): Buffer
export function plainManifests(): Buffer
