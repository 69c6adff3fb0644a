/**
 * NAME: keeps doing what it did last while that is legal, and chooses anew one time in four.
 *
 * A policy sees only what its agents see. It plays B lanes with n agents each, all in one call. Change anything here,
 * then run `troupe check ./NAME.js`.
 */

/** @param spec the environment as seen from the controlled seats: agents, observation features, action sizes */
function create(spec) {
  if (spec.actionKind !== 'discrete') throw new Error(`NAME plays discrete actions, not ${spec.actionKind}`)
  const A = spec.actionSize

  return {
    name: 'NAME',

    /** Whatever must be remembered from step to step; troupe keeps it and hands it back. */
    memory(lanes, agents) {
      return { last: new Int32Array(lanes * agents).fill(-1) }
    },

    /**
     * Writes one action for every agent of the view.
     * @param view what the agents see: observation [B, n, F], mask [B, n, A], alive [B, n], episodeStart [B]
     * @param out out.action [B, n] to fill
     * @param rng the only source of chance: rng.below(k), rng.float()
     */
    act(view, memory, out, rng) {
      const { last } = memory
      const n = view.agents.length
      for (let i = 0; i < view.lanes * n; i++) {
        if (view.episodeStart[Math.floor(i / n)] === 1) last[i] = -1
        const legal = []
        for (let a = 0; a < A; a++) if (view.mask[i * A + a] === 1) legal.push(a)
        if (!legal.includes(last[i]) || rng.below(4) === 0) last[i] = legal[rng.below(legal.length)]
        out.action[i] = last[i]
      }
    },
  }
}

export default {
  name: 'NAME',
  kind: 'scripted',
  summary: 'Keeps doing what it did last, mostly.',
  privileged: false, // true for a planner that reads the whole world
  create,
}
