/** Every scripted spectrum policy keeps the promises of policies in every kind of spectrum. */
import { expect, test } from 'vitest'
import { TroupeError } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { POLICIES } from '../agents/index.ts'
import { scenarioSpec } from '../scenarios/open.ts'
import { loadScenario } from '../scenarios/load.ts'
import { policyContract } from './policy-contract.ts'

const policies = Object.values(POLICIES).filter(({ envs }) => envs?.includes('spectrum'))
const scenarios = [
  'dsa-12u8c-cluster',
  'dsa-pu-ge-4u4c',
  'dsa-aloha-grid10',
  'dsa-csma-10u2c',
  'dsa-queue-6u3c',
  'dsa-jam-seat-3u3c',
  'dsa-sinr-8u3c',
  'dsa-snr-6u4c',
].map((name) => loadScenario(`spectrum/${name}`))

test('there are ten of them', () => {
  expect(policies.map(({ name }) => name).sort()).toEqual([
    'spectrum-aloha',
    'spectrum-csma',
    'spectrum-genie',
    'spectrum-hopping',
    'spectrum-independent-set',
    'spectrum-myopic',
    'spectrum-sticky',
    'spectrum-tdma',
    'spectrum-two-colour',
    'spectrum-whittle',
  ])
})

test.each(policies)('$name plays legally everywhere, repeats from its seed, and keeps its hands off', (definition) => {
  for (const scenario of scenarios) {
    const needsAck = ['spectrum-sticky', 'spectrum-csma'].includes(definition.name)
    if (needsAck && scenario.options.obs === 'queue') {
      expect(() => definition.create(scenarioSpec(scenario))).toThrow(TroupeError)
      expect(() => definition.create(scenarioSpec(scenario))).toThrow(
        /obs is "queue"; expected an observation with the own ACK/,
      )
      continue
    }
    const findings = policyContract(definition, scenario, ENVS)
    expect(findings).toHaveLength(5)
    expect(findings.filter(({ ok }) => !ok)).toEqual([])
  }
})
