/** Compiles the sources beside this file into ../machine-code.ts; see scripts/assembly.mjs. */
import { assemble } from '../../../scripts/assembly.mjs'

await assemble(import.meta.url)
