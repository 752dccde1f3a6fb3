import { describe, expect, it } from 'vitest'
import { isPath, valueAt, valuesAt } from './personal-paths.ts'

const data = { order: { id: 'ord_1', lines: [{ name: 'a' }, [{ name: 'b' }], {}] } }

describe('a personal-data path', () => {
  it('consists of keys joined by dots', () => {
    expect(['a', 'a.b', '0', '__proto__', 'ä b'].map(isPath)).not.toContain(false)
    expect(['', '.', 'a.', '.a', 'a..b', 1, null, undefined, 'a'.repeat(256)].map(isPath)).not.toContain(true)
  })

  it('that passes through an array leads to a value in each element', () => {
    expect(valuesAt(data, 'order.lines.name')).toEqual(['a', 'b'])
    expect(valuesAt(data, 'order.lines.0')).toEqual([])
    expect(valuesAt(data, 'order.id.length')).toEqual([])
    expect(valuesAt(data, 'order.toString')).toEqual([])
  })

  it('leads to a single value only if it passes through no array', () => {
    expect(valueAt(data, 'order.id')).toBe('ord_1')
    expect(valueAt(data, 'order.lines.name')).toBeUndefined()
    expect(valueAt(data, 'order.lines.0')).toBeUndefined()
    expect(valueAt(data, 'constructor.name')).toBeUndefined()
  })
})
