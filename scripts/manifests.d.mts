export function renderManifests(helm: string): string
