import type { Integration } from '@callboard/core'
import type { SubscriptionRef } from '@callboard/core/store'
import type { DashboardWorld } from './dashboard-world.ts'

/**
 * Strings that would have an effect if they were not shown as plain text: in an element, an attribute, a URL, a script
 * or a template.
 */
export const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  "' onmouseover='alert(3)",
  '</title></textarea></script><svg onload=alert(4)>',
  'javascript:alert(5)',
  '{{constructor.constructor("alert(6)")()}} <%= alert(7) %>',
  '\u202Egnp.exe\u202C \u2066right\u2069 \u200B\uFEFF',
  '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿 Zalgo H̸̡̪̯ͨ͊̽̅̾̎Ȩ̬̩̾͛ͪ̈́̀́͘',
  'null',
  'undefined',
  '[object Object]',
  '0',
  '%00%0d%0aSet-Cookie:a=b',
  'W'.repeat(90),
]

export const HOSTILE_INTEGRATIONS: readonly Integration[] = [
  { name: 'zapier', displayName: '"><script>alert("integration")</script>' },
  { name: 'make', displayName: `Make${'W'.repeat(120)}` },
]

/** Creates an account in which every string that comes from outside is hostile. */
export async function seedStrangers(world: DashboardWorld): Promise<readonly SubscriptionRef[]> {
  const { callboard, receivers } = world
  const all = HOSTILE.join(' ')
  await callboard.accounts.create({ id: 'hostile', name: cut(all, 255) })
  const [receiver] = receivers
  if (receiver === undefined) throw new Error('no receiver')
  const paths = [
    // Removes `#`, and replaces spaces with slashes. URLs may not contain spaces, and markup treats a slash like a
    // space.
    ...HOSTILE.map((text) => text.replaceAll('#', '').replaceAll(' ', '/')).map((text) => `/${text}?q=${text}`),
    `/${'long'.repeat(500)}`,
  ]
  const refs: SubscriptionRef[] = []
  for (const [index, path] of paths.entries()) {
    const targetUrl = cut(receiver.url(path), 2_048)
    const { pathname, search } = new URL(targetUrl)
    // Each target answers with a hostile body, which the delivery page then shows.
    receiver.answer(pathname + search, {
      status: 500,
      body: `${HOSTILE[index] ?? ''}${all}`,
      headers: { 'content-type': 'text/html' },
    })
    const externalRef = cut(HOSTILE[index] ?? all, 255)
    const input = {
      targetUrl,
      eventTypes: ['order.paid'],
      integration: index % 2 === 0 ? 'zapier' : 'make',
      externalRef,
    }
    const { id } = await world.subscribe('hostile', input, { name: cut(HOSTILE[index] ?? all, 100) })
    refs.push({ accountId: 'hostile', mode: 'live', id })
  }
  await world.work([30])
  const texts = [...HOSTILE, 'long '.repeat(3_000)]
  const publish = (text: string) =>
    world.sell('hostile', cut(text, 200), { name: text, email: text }, `${text}\u0000\u001b[31m\ud800`)
  // Attempts only the first three events, because a lane is paused once the first attempts of five events in a row have
  // failed.
  for (const text of texts.slice(0, 3)) {
    const id = await publish(text)
    for (const ref of refs) await world.becomes(ref, id, 'exhausted')
  }
  await world.rest()
  for (const text of texts.slice(3)) await publish(text)
  return refs
}

/** Shortens a string to at most `most` code points, without splitting surrogate pairs. */
function cut(text: string, most: number): string {
  return [...text].slice(0, most).join('')
}
