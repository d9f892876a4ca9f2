import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { completeForms, invalidWindowAnswer } from './window-forms.ts'
import { readWindow } from './read-window.ts'

it('reads every form of a window that the README states, and refuses the one it calls invalid', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const forms = Array.from(
    (readme.split('| window in the prompt')[1] ?? '').matchAll(/^\| `([^`]+)`/gm),
    ([, form]) => readWindow(form ?? '')?.kind,
  )
  expect(forms).toEqual(['absolute', 'absolute', 'clock', 'recent'])
  expect(readWindow(/An invalid one \(`([^`]+)`/.exec(readme)?.[1] ?? '')?.kind).toBe('invalid')
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(90)
})

it('reads every form of a window that the answers state', () => {
  const answer = invalidWindowAnswer({ kind: 'invalid', words: 'x', problem: 'y' })
  const forms = (text: string) => Array.from(text.matchAll(/“([^”]{2,})”/g), ([, form]) => readWindow(form ?? '')?.kind)
  expect(forms(completeForms)).toEqual(['absolute', 'absolute'])
  expect(forms(answer)).toEqual(['absolute', 'absolute', 'clock', 'recent'])
})
