import { expect, it } from 'vitest'
import { targetHost } from './target-host.ts'

it.for([
  ['https://hooks.example.com/a', 'hooks.example.com'],
  ['https://hooks.example.com./b', 'hooks.example.com'],
  ['https://HOOKS.example.com.:443/c', 'hooks.example.com'],
  ['https://hooks.example.com.:8443/d', 'hooks.example.com:8443'],
  ['https://[2001:DB8::1]:8443/e', '[2001:db8::1]:8443'],
] as const)('takes %s as a target at the host %s', ([url, host]) => {
  expect(targetHost(url)).toBe(host)
})
