import { InvalidArgumentError } from 'commander'

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a port, 0 to 65535; 0 takes any that is free.')
  return Number(text)
}
