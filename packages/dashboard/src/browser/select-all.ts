/**
 * Adds a checkbox to each group of choices that has the attribute `data-select-all`. The checkbox selects all choices
 * of its group. Its label is the value of the attribute.
 */
export function offerAll(within: ParentNode): void {
  for (const group of within.querySelectorAll<HTMLElement>('[data-select-all]')) {
    const boxes = [...group.querySelectorAll<HTMLInputElement>('input[type="checkbox"]')]
    const [first] = boxes
    if (first === undefined || boxes.length < 2 || group.querySelector('[data-all]') !== null) continue
    const all = document.createElement('input')
    all.type = 'checkbox'
    all.dataset['all'] = ''
    all.id = `${group.id}-all`
    const label = document.createElement('label')
    label.htmlFor = all.id
    label.append(group.dataset['selectAll'] ?? '')
    const choice = document.createElement('div')
    choice.className = 'choice choice-all'
    choice.append(all, label)
    const before = group.querySelector('.choice, .choice-family')
    before?.parentElement?.insertBefore(choice, before)

    const show = (): void => {
      const ticked = boxes.filter(({ checked }) => checked).length
      all.checked = ticked === boxes.length
      all.indeterminate = ticked > 0 && ticked < boxes.length
    }
    all.addEventListener('change', () => {
      for (const box of boxes) box.checked = all.checked
      show()
    })
    group.addEventListener('change', show)
    show()
  }
}
