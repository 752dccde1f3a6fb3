import { TARGET_URL_MAX_LENGTH, type TargetRule } from './target-url.ts'

/** What is wrong with a refused target and which field of `targets` allows it, for the platform's own developers. */
const EXPLANATIONS: Readonly<Record<TargetRule, string>> = {
  'not-a-string': 'must be a string.',
  length: `must be at most ${TARGET_URL_MAX_LENGTH.toLocaleString('en')} characters.`,
  characters: 'must not contain spaces, backslashes, control characters or broken Unicode.',
  scheme: 'must begin with https:// and a host.',
  http: 'must use https, unless its host is in targets.httpLoopbackHosts.',
  credentials: 'must not contain an @ before the path.',
  fragment: 'must not contain a #.',
  unparsable: 'is not a valid URL. Check its host and its port.',
  'refused-name': 'has a host that targets.refusedHostNames refuses, or that of publicUrl.',
  'refused-address': 'has an address as its host that targets.refusedCidrs refuses.',
  address: 'has an IP address as its host that is not in targets.allowedCidrs or, over http, is not loopback.',
  'host-name': 'has a host that is not a DNS name.',
  'single-label': 'has a host without a dot that is not in targets.allowedHostNames.',
  'internal-name': 'has a host for internal use that is not in targets.allowedHostNames.',
  port: 'has a port that is not in targets.allowedPorts.',
}

/** Explains a rule in a sentence. Do not show it to an account, which could explore the platform's network with it. */
export function explainTargetRule(rule: TargetRule): string {
  return `targetUrl ${EXPLANATIONS[rule]}`
}
