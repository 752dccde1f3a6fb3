import { type HistoryRange, PERIODS } from '@callboard/core/store'
import { render } from 'preact-render-to-string'
import { describe, expect, it } from 'vitest'
import { type Html, html } from '../html.ts'
import { english } from '../texts/english.ts'
import { actionButton, confirmAction } from './action-form.ts'
import { badge } from './badge.ts'
import { callout } from './callout.ts'
import { card } from './card.ts'
import { codeTabs } from './code-tabs.ts'
import { copyable } from './copyable.ts'
import { dataTable } from './data-table.ts'
import { emptyState } from './empty-state.ts'
import { errorSummary } from './error-summary.ts'
import { facts } from './facts.ts'
import { choice, choices, field } from './field.ts'
import { filterBar, filterTabs } from './filter-bar.ts'
import { hourChart, sparkline } from './hour-chart.ts'
import { jsonView } from './json-view.ts'
import { notice } from './notice.ts'
import { duration, number, percent, span } from './number.ts'
import { pageHead } from './page-head.ts'
import { pageMessage } from './page-message.ts'
import { pager } from './pager.ts'
import { secretOnce } from './secret-once.ts'
import { deliveryBadge, subscriptionBadge } from './state-badges.ts'
import { stepProgress } from './step-progress.ts'
import { target } from './target.ts'
import { time } from './time.ts'
import { timeline } from './timeline.ts'
import { visibleText } from './visible-text.ts'

const rendered = (view: Html): string => render(html`<div>${view}</div>`)

function callAt(path: string) {
  const request = new Request(`https://example.com${path}`)
  const unused = () => {
    throw new Error('not used by a component')
  }
  return {
    request,
    requestId: 'req_1',
    accountId: 'acc',
    mode: 'live' as const,
    texts: english,
    timeZone: 'UTC',
    zoneCookie: undefined,
    brand: undefined,
    query: new URL(request.url).searchParams,
    params: {},
    describe: () => ({}),
    may: () => true,
    href: (to: string, query: Readonly<Record<string, string | undefined>> = {}) =>
      `/dashboard${to}${Object.keys(query).length > 0 ? `?${new URLSearchParams(Object.entries(query).map(([name, value = '']) => [name, value]))}` : ''}`,
    form: unused,
    get callboard() {
      return unused()
    },
    get engine() {
      return unused()
    },
  }
}

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>{{7*7}}\u202egnp.exe`
const at = new Date('2026-10-01T12:00:00.000Z')
const call = callAt('/')
/** A call in another language. */
const german = { texts: { ...english, language: 'de' }, timeZone: 'UTC' }
const hostileCall = callAt(`/?search=${encodeURIComponent(HOSTILE)}&cursor=${encodeURIComponent(HOSTILE)}&done=saved`)
const issues = [{ path: 'name', code: 'LENGTH', message: HOSTILE }] as const

const EVERY: readonly [string, Html][] = [
  ['action button', actionButton({ action: HOSTILE, label: HOSTILE, hidden: { [HOSTILE]: HOSTILE } })],
  [
    'confirm',
    confirmAction({
      action: HOSTILE,
      label: HOSTILE,
      of: HOSTILE,
      question: HOSTILE,
      confirm: HOSTILE,
      look: 'danger',
    }),
  ],
  ['badge', badge('danger', HOSTILE)],
  ['callout', callout('danger', { title: HOSTILE, body: HOSTILE, actions: HOSTILE })],
  ['card', card({ title: HOSTILE, actions: HOSTILE }, HOSTILE)],
  ['code tabs', codeTabs(call, { id: 'code', label: HOSTILE, snippets: [{ name: HOSTILE, code: HOSTILE }] })],
  ['copyable', copyable(call, HOSTILE, HOSTILE)],
  [
    'table',
    dataTable({ caption: HOSTILE, columns: [{ head: HOSTILE, cell: () => HOSTILE }], rows: [1], id: () => HOSTILE }),
  ],
  ['empty state', emptyState(HOSTILE, HOSTILE, HOSTILE)],
  ['error summary', errorSummary(call, [{ path: HOSTILE, code: 'LENGTH', message: HOSTILE }])],
  ['facts', facts([[HOSTILE, HOSTILE]])],
  [
    'field',
    field({
      name: 'name',
      label: HOSTILE,
      hint: HOSTILE,
      value: HOSTILE,
      placeholder: HOSTILE,
      check: HOSTILE,
      issues,
    }),
  ],
  ['select', field({ kind: 'select', name: 'name', label: HOSTILE, options: [{ value: HOSTILE, text: HOSTILE }] })],
  ['choice', choice({ kind: 'checkbox', name: HOSTILE, value: HOSTILE, label: HOSTILE, hint: HOSTILE })],
  ['choices', choices({ name: 'name', label: HOSTILE, hint: HOSTILE, issues }, HOSTILE)],
  ['filter bar', filterBar(hostileCall, [{ kind: 'search', name: 'search', label: HOSTILE }])],
  ['filter tabs', filterTabs(hostileCall, HOSTILE, 'state', [{ value: HOSTILE, text: HOSTILE, count: HOSTILE }])],
  ['hidden text', visibleText(HOSTILE)],
  ['json', jsonView(call, HOSTILE, { label: HOSTILE })],
  ['notice', notice(hostileCall, { saved: HOSTILE })],
  [
    'page head',
    pageHead(HOSTILE, { lead: HOSTILE, badge: HOSTILE, actions: HOSTILE, up: { text: HOSTILE, href: HOSTILE } }),
  ],
  ['page message', pageMessage(HOSTILE, HOSTILE, HOSTILE)],
  ['pager', pager(hostileCall, HOSTILE)],
  ['secret', secretOnce(call, { title: HOSTILE, name: HOSTILE, secret: HOSTILE, next: HOSTILE })],
  ['target', target(`https://example.com/${HOSTILE}?${HOSTILE}`)],
  [
    'timeline',
    timeline(call, [{ id: 'one', tone: 'danger', shape: 'cross', title: HOSTILE, aside: HOSTILE, body: HOSTILE, at }]),
  ],
]

describe('every component', () => {
  it.each(EVERY)('keeps untrusted text inert: %s', (_name, view) => {
    expect(rendered(view)).not.toMatch(/<script|<img/)
  })

  it.each(EVERY)(
    'uses no inline styles or handlers, because the content security policy forbids them: %s',
    (_name, view) => {
      expect(rendered(view)).not.toMatch(/ style=| on[a-z]+="/)
    },
  )
})

describe('a list', () => {
  const rows = [{ id: 'a', name: 'One' }]
  const columns = [
    { head: 'Name', kind: 'main', cell: ({ name }: { name: string }) => name },
    { head: 'Tools', kind: 'actions', cell: () => 'x' },
  ] as const

  it('stays a table for screen readers when a phone shows rows as cards', () => {
    const page = rendered(dataTable({ caption: 'Things', columns, rows, id: ({ id }) => id, tone: () => 'danger' }))
    for (const role of ['table', 'rowgroup', 'row', 'columnheader', 'cell']) expect(page).toContain(`role="${role}"`)
    expect(page).toContain('id="row-a" class="row-danger"')
    expect(page).toContain('data-head="Name"')
  })

  it('links to older entries and to the newest entries, and keeps its filters in these links', () => {
    expect(rendered(pager(callAt('/?type=a&done=saved'), 'next'))).toContain('href="?type=a&amp;cursor=next"')
    expect(rendered(pager(callAt('/?type=a&cursor=x'), undefined))).toContain('href="?type=a"')
    expect(rendered(pager(callAt('/?type=a'), null))).toBe('<div></div>')
  })

  it('has a filter form that shows the current filters, can clear them, and returns to the newest entries', () => {
    const options = [{ value: 'a', text: 'A' }]
    const page = rendered(
      filterBar(
        callAt('/?type=a&state=failing&cursor=x'),
        [{ kind: 'select', name: 'type', label: 'Type', all: 'All', options }],
        {
          keep: ['state'],
        },
      ),
    )
    expect(page).toContain('<option value="a" selected>A</option>')
    expect(page).toContain('<input type="hidden" name="state" value="failing"')
    expect(page).not.toContain('name="cursor"')
    expect(page).toContain('href="?state=failing"')
  })

  it('marks the current filter tab', () => {
    const tabs = [
      { value: '', text: 'All', count: '3' },
      { value: 'failing', text: 'Failing', count: '1', alarming: true },
    ]
    const page = rendered(filterTabs(callAt('/?state=failing'), 'State', 'state', tabs))
    expect(page).toMatch(/href="\?state=failing" aria-current="true"/)
    expect(page).toContain('href="?"')
  })
})

describe('a form', () => {
  it('links the hint and the error to their field, and marks the field as invalid', () => {
    const page = rendered(
      field({
        name: 'url',
        label: 'URL',
        hint: 'https',
        issues: [{ path: 'url', code: 'TARGET', message: 'Not so.' }],
      }),
    )
    expect(page).toContain('aria-describedby="field-url-hint field-url-error" aria-invalid="true"')
    expect(page).toContain('Not so.')
    expect(rendered(field({ name: 'url', label: 'URL' }))).not.toContain('aria-invalid')
  })

  it('shows the error of a single list entry at the field of the whole list', () => {
    const wrong = [{ path: 'eventTypes.0', code: 'UNKNOWN', message: 'Unknown.' }] as const
    expect(rendered(choices({ name: 'eventTypes', label: 'Types', issues: wrong }, ''))).toContain('Unknown.')
    expect(rendered(errorSummary(call, wrong))).toContain('<a href="#field-eventTypes">Unknown.</a>')
  })

  it('focuses the error summary on load, without a script', () => {
    expect(rendered(errorSummary(call, issues))).toMatch(/role="alert" tabindex="-1" autofocus/)
    expect(rendered(errorSummary(call, []))).toBe('<div></div>')
  })

  it('asks for confirmation before a write that cannot be undone, without a script', () => {
    const page = rendered(
      confirmAction({ action: '/x', label: 'Remove…', of: 'It', question: 'Sure?', confirm: 'Remove it' }),
    )
    expect(page).toMatch(/<details.*<summary.*<form[^>]*method="post".*Sure\?.*<button[^>]*type="submit">Remove it/s)
  })

  it('confirms a write with a fixed message, never with text from the URL', () => {
    expect(rendered(notice(callAt('/?done=saved'), { saved: 'Saved.' }))).toContain('Saved.')
    for (const done of ['<b>', 'toString', ''])
      expect(rendered(notice(callAt(`/?done=${done}`), { saved: 'Saved.' }))).toBe('<div></div>')
  })
})

describe('the view of untrusted text', () => {
  it('shows invisible and bidi characters as code points', () => {
    expect(rendered(visibleText('a\u202eb\u0000c\u200b'))).toBe(
      '<div><bdi class="strangers">a<span class="code-point">U+202E</span>b<span class="code-point">U+0000</span>c<span class="code-point">U+200B</span></bdi></div>',
    )
    expect(rendered(visibleText('Ünï\tcode 🎟️\n'))).toContain('Ünï\tcode 🎟️\n')
  })

  it('shows at most 500 code points, and replaces any further invisible characters', () => {
    const view = rendered(visibleText('a\u202e'.repeat(8_192)))
    expect(view.match(/U\+202E/g)).toHaveLength(500)
    expect(view.match(/\ufffd/g)).toHaveLength(7_692)
  })

  it('shows the host and path of a target, without the query', () => {
    const page = rendered(target('https://hooks.example.com/a/b?c=1'))
    expect(page).toContain('<span class="target-host">hooks.example.com</span><span class="target-path">/a/b</span>')
    expect(rendered(target('no address'))).toContain('no address')
  })
})

describe('JSON', () => {
  it('is coloured by kind, and stays as written', () => {
    const view = rendered(jsonView(call, '{"a":"x: 1","b":[1.50,null]}', { label: 'Body' }))
    expect(view).toContain(
      '<span class="json-key">&quot;a&quot;</span>: <span class="json-string">&quot;x: 1&quot;</span>',
    )
    expect(view).toContain('<span class="json-literal">1.50</span>')
    expect(view).toContain('<span class="json-literal">null</span>')
  })

  it('is not coloured where text is no JSON or has hidden characters', () => {
    for (const text of ['<b class="x">1</b>', '{"a":"\u202e"}'])
      expect(rendered(jsonView(call, text, { label: 'Body' }))).not.toContain('json-string')
  })

  it('is coloured only so far, however long it is', () => {
    const text = JSON.stringify(Array.from({ length: 8_000 }, () => 1))
    expect(rendered(jsonView(call, text, { label: 'Body' })).match(/json-literal/g)).toHaveLength(1_000)
  })
})

describe('a chart', () => {
  const hours = [
    { at, delivered: 1_200, failed: 0 },
    { at: new Date(at.getTime() + 3_600_000), delivered: 0, failed: 1 },
  ]

  it('leads from each hour with attempts to its events, and names its numbers', () => {
    const page = rendered(hourChart(call, [...hours, { at, delivered: 0, failed: 0 }], { path: '/events' }))
    const [hour, next] = hours.map((each) => encodeURIComponent(each.at.toISOString().slice(0, 16)))
    expect(page).toContain(`href="/dashboard/events?from=${hour}&amp;to=${next}&amp;zone=UTC"`)
    expect(page.match(/href=/g)).toHaveLength(2)
    expect(page).toMatch(/<span class="bar-value">[^<]*: 1,200 succeeded, 0 failed<\/span>/)
    expect(page).toMatch(/<span class="bar-value">[^<]*: 0 succeeded, 1 failed<\/span>/)
  })

  it('shows the numbers without links if there is no list of them', () => {
    const page = rendered(hourChart(call, hours))
    expect(page).not.toContain('href=')
    expect(page.match(/tabindex="0"/g)).toHaveLength(2)
  })

  it.each([
    [1, '2', '1'],
    [7, '8', '4'],
    [9, '10', '5'],
    [22, '24', '12'],
    [1_250, '1,600', '800'],
    [1_900, '2,000', '1,000'],
  ])('has an axis for at most %d attempts up to %s, with %s in the middle', (delivered, top, half) => {
    const page = rendered(hourChart(call, [{ at, delivered, failed: 0 }]))
    expect(page).toContain(`<span>${top}</span><span>${half}</span><span>0</span>`)
  })

  it('names four times of an hour or a day, and four days of a week or month', () => {
    const labels = (range: HistoryRange) => {
      const { length, ms } = PERIODS[range]
      const periods = Array.from({ length }, (_, index) => ({ at: new Date(index * ms), delivered: 1, failed: 0 }))
      const axis = /class="axis-x"[^>]*>(.*?)<\/p>/s.exec(rendered(hourChart(call, periods, { range })))?.[1] ?? ''
      return axis.split(/<[^>]*>/).flatMap((text) => (text.trim() === '' ? [] : [text.replace(/\s/g, ' ')]))
    }
    expect(labels('hour')).toEqual(['12:00 AM', '12:20 AM', '12:40 AM', 'now'])
    expect(labels('day')).toEqual(['12:00 AM', '8:00 AM', '4:00 PM', 'now'])
    expect(labels('week')).toEqual(['Thu, Jan 1', 'Sat, Jan 3', 'Mon, Jan 5', 'today'])
    expect(labels('month')).toEqual(['Jan 1', 'Jan 11', 'Jan 21', 'today'])
  })

  it('shows a visible bar for one failure among a thousand deliveries', () => {
    expect(rendered(hourChart(call, hours))).toMatch(/class="bar-failed"[^>]*height="4"/)
  })

  it('has an accessible name with its totals if it has no table', () => {
    expect(rendered(sparkline(german, hours))).toContain('Last 24 hours: 1.200 succeeded, 1 failed')
  })

  it('shows “No attempts” if there were none', () => {
    expect(rendered(hourChart(call, [{ at, delivered: 0, failed: 0 }]))).toContain('No attempts in the last 24 hours')
  })
})

describe('a page', () => {
  it('formats numbers in the dashboard’s language', () => {
    expect([number(german, 1234.5), percent(call, 0.9871)]).toEqual(['1.234,5', '98.7%'])
  })

  it('never rounds a rate up to 100 % or down to 0 %', () => {
    expect([0, 0.00001, 0.99999, 1].map((part) => percent(call, part))).toEqual(['0%', '0.1%', '99.9%', '100%'])
  })

  it('formats durations', () => {
    const took = [12.4, 999, 1_440, 59_000, 180_000, 7_200_000, 172_800_000].map((ms) => duration(call, ms))
    expect(took).toEqual(['12ms', '999ms', '1.4s', '59s', '3 minutes', '2 hours', '2 days'])
  })

  it('rounds durations down, so that none reaches the next unit early', () => {
    const edges = [999.7, 59_970, 3_599_000, 5_400_000, 86_399_000].map((ms) => duration(call, ms))
    expect(edges).toEqual(['999ms', '59.9s', '59 minutes', '1 hour', '23 hours'])
    expect([0, -5_000, 1_999, 59_970, 60_000].map((ms) => span(call, ms))).toEqual([
      ...['1 second', '1 second', '1 second', '59 seconds', '1 minute'],
    ])
  })

  it('shows a time in the page’s language and zone', () => {
    const shown = rendered(time({ texts: { ...english, language: 'de' }, timeZone: 'Asia/Tokyo' }, at))
    expect(shown).toContain(
      '<time datetime="2026-10-01T12:00:00.000Z" data-time="relative">01.10.2026, 21:00:00</time>',
    )
  })

  it('has a word and a shape for each state', () => {
    expect(rendered(deliveryBadge(call, 'exhausted'))).toMatch(/badge-danger"><svg.*<\/svg>Exhausted/)
    expect(rendered(subscriptionBadge(call, 'failing'))).toMatch(/badge-danger"><svg.*<\/svg>Failing/)
  })

  it('shows how much of a time range has been resent', () => {
    const until = new Date(at.getTime() + 4_000)
    const page = rendered(
      stepProgress(callAt('/'), { from: at, until, reachedAt: new Date(at.getTime() + 1_000), resent: 1_500 }),
    )
    expect(page).toMatch(/max="100" value="25"/)
    expect(page).toContain('1,500 resent')
  })
})

describe('a secret', () => {
  it('is shown with a warning to copy it now, and only the copy button has it in an attribute', () => {
    const page = rendered(
      secretOnce(call, { title: 'Signing secret', name: 'signing secret', secret: 'whsec_x', next: 'Keep it.' }),
    )
    expect(page).toContain('Copy it now. It will not be shown again.')
    expect(page.match(/whsec_x/g)).toHaveLength(2)
  })
})

describe('code in several languages', () => {
  it('shows the first tab, or the tab that the viewer selects, without a script', () => {
    const page = rendered(
      codeTabs(call, {
        id: 'verify',
        label: 'Verify',
        snippets: [
          { name: 'Go', code: 'a' },
          { name: 'PHP', code: 'b' },
        ],
      }),
    )
    expect(page.match(/type="radio"/g)).toHaveLength(2)
    expect(page.match(/checked/g)).toHaveLength(1)
  })
})
