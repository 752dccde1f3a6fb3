import { InvalidArgumentError } from 'commander'

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('Expected a port from 0 to 65535; 0 picks any free port.')
  return Number(text)
}
