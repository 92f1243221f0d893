export class NameTaken extends Error {
  override readonly name = 'NameTaken'

  constructor(taken: string) {
    super(`the name "${taken}" is taken`)
  }
}
