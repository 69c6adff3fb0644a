/** `--backend`: what computes tensors. The names stand here too, so that help does not load the tensor library. */
import { Option } from 'commander'
import { oneOf } from './settings.ts'

const NAMES = ['auto', 'simd', 'native', 'cpu', 'tensorflow']

export function backendOption(): Option {
  return new Option('--backend <name>', `what computes tensors: ${NAMES.join(', ')}`)
    .default('auto')
    .argParser(oneOf('--backend', NAMES))
}
