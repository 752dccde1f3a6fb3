export { german } from './lib/texts/german-texts.ts'
