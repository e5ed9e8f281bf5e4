import { InvalidArgumentError } from 'commander'

/** Reads the number of a version. @throws InvalidArgumentError for another text */
export function versionNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('The value must be a version number of at least 1.')
  return Number(text)
}
