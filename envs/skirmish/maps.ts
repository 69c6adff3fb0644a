/** The 23 maps of SMAC: who, where, what orders, on which ground. NOTICE.md names the sources. */

/** A group of units created at one point. */
export interface Group {
  readonly unit: string
  readonly count: number
  readonly at: readonly [number, number]
}

/** What the map script orders every enemy at the start. */
export type EnemyOrder =
  | { readonly kind: 'attack-move'; readonly to: readonly [number, number] }
  /** to one point of a segment, drawn per episode */
  | { readonly kind: 'segment'; readonly from: readonly [number, number]; readonly to: readonly [number, number] }
  /** against the closest opponent; `every`: a new one is given when it dies */
  | { readonly kind: 'closest' }
  | { readonly kind: 'none' }

/** Coordinates in cells, x right, y up, (0, 0) the lower left corner. */
export interface SkirmishMap {
  readonly name: string
  readonly limit: number
  readonly terrain: string
  readonly allies: readonly Group[]
  readonly enemies: readonly Group[]
  readonly order: EnemyOrder
  /** Exact starts of SMAClite in its order, [unit, x, y], where it has the map. */
  readonly smaclite?: {
    readonly allies: readonly (readonly [string, number, number])[]
    readonly enemies: readonly (readonly [string, number, number])[]
  }
}

export const MAPS: readonly SkirmishMap[] = [
  {
    name: '3m',
    limit: 60,
    terrain: 'strip',
    allies: [{ unit: 'marine', count: 3, at: [9, 16] }],
    enemies: [{ unit: 'marine', count: 3, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
  },
  {
    name: '8m',
    limit: 120,
    terrain: 'strip',
    allies: [{ unit: 'marine', count: 8, at: [9, 16] }],
    enemies: [{ unit: 'marine', count: 8, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
  },
  {
    name: '25m',
    limit: 150,
    terrain: 'strip',
    allies: [{ unit: 'marine', count: 25, at: [9, 16] }],
    enemies: [{ unit: 'marine', count: 25, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
  },
  {
    name: '5m_vs_6m',
    limit: 70,
    terrain: 'strip',
    allies: [{ unit: 'marine', count: 5, at: [9, 16] }],
    enemies: [{ unit: 'marine', count: 6, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
  },
  {
    name: '8m_vs_9m',
    limit: 120,
    terrain: 'strip',
    allies: [{ unit: 'marine', count: 8, at: [9, 16] }],
    enemies: [{ unit: 'marine', count: 9, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
  },
  {
    name: '10m_vs_11m',
    limit: 150,
    terrain: 'strip',
    allies: [{ unit: 'marine', count: 10, at: [9, 16] }],
    enemies: [{ unit: 'marine', count: 11, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
    // prettier-ignore
    smaclite: {
      allies: [['marine', 7.875, 15.175], ['marine', 8.675, 15.175], ['marine', 9.475, 15.175], ['marine', 10.275, 15.175], ['marine', 7.875, 15.975], ['marine', 8.675, 15.975], ['marine', 9.475, 15.975], ['marine', 10.275, 15.975], ['marine', 7.875, 16.775], ['marine', 8.675, 16.775]],
      enemies: [['marine', 24.125, 16.825], ['marine', 23.325, 16.825], ['marine', 22.525, 16.825], ['marine', 21.725, 16.825], ['marine', 24.125, 16.025], ['marine', 23.325, 16.025], ['marine', 22.525, 16.025], ['marine', 21.725, 16.025], ['marine', 24.125, 15.225], ['marine', 23.325, 15.225], ['marine', 22.525, 15.225]],
    },
  },
  {
    name: '27m_vs_30m',
    limit: 180,
    terrain: 'strip',
    allies: [{ unit: 'marine', count: 27, at: [9, 16] }],
    enemies: [{ unit: 'marine', count: 30, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
    // prettier-ignore
    smaclite: {
      allies: [['marine', 7.125, 14.375], ['marine', 7.925, 14.375], ['marine', 8.725, 14.375], ['marine', 9.525, 14.375], ['marine', 10.325, 14.375], ['marine', 11.125, 14.375], ['marine', 7.125, 15.175], ['marine', 7.925, 15.175], ['marine', 8.725, 15.175], ['marine', 9.525, 15.175], ['marine', 10.325, 15.175], ['marine', 11.125, 15.175], ['marine', 7.125, 15.975], ['marine', 7.925, 15.975], ['marine', 8.725, 15.975], ['marine', 9.525, 15.975], ['marine', 10.325, 15.975], ['marine', 11.125, 15.975], ['marine', 7.125, 16.775], ['marine', 7.925, 16.775], ['marine', 8.725, 16.775], ['marine', 9.525, 16.775], ['marine', 10.325, 16.775], ['marine', 11.125, 16.775], ['marine', 7.125, 17.575], ['marine', 7.925, 17.575], ['marine', 8.725, 17.575]],
      enemies: [['marine', 24.875, 17.625], ['marine', 24.075, 17.625], ['marine', 23.275, 17.625], ['marine', 22.475, 17.625], ['marine', 21.675, 17.625], ['marine', 20.875, 17.625], ['marine', 24.875, 16.825], ['marine', 24.075, 16.825], ['marine', 23.275, 16.825], ['marine', 22.475, 16.825], ['marine', 21.675, 16.825], ['marine', 20.875, 16.825], ['marine', 24.875, 16.025], ['marine', 24.075, 16.025], ['marine', 23.275, 16.025], ['marine', 22.475, 16.025], ['marine', 21.675, 16.025], ['marine', 20.875, 16.025], ['marine', 24.875, 15.225], ['marine', 24.075, 15.225], ['marine', 23.275, 15.225], ['marine', 22.475, 15.225], ['marine', 21.675, 15.225], ['marine', 20.875, 15.225], ['marine', 24.875, 14.425], ['marine', 24.075, 14.425], ['marine', 23.275, 14.425], ['marine', 22.475, 14.425], ['marine', 21.675, 14.425], ['marine', 20.875, 14.425]],
    },
  },
  {
    name: 'MMM',
    limit: 150,
    terrain: 'strip',
    allies: [
      { unit: 'marauder', count: 2, at: [9, 16] },
      { unit: 'marine', count: 7, at: [9, 16] },
      { unit: 'medivac', count: 1, at: [9, 16] },
    ],
    enemies: [
      { unit: 'marine', count: 7, at: [23, 16] },
      { unit: 'marauder', count: 2, at: [23, 16] },
      { unit: 'medivac', count: 1, at: [23, 16] },
    ],
    order: { kind: 'attack-move', to: [9, 16] },
    // prettier-ignore
    smaclite: {
      allies: [['medivac', 7.875, 14.988], ['marine', 9.05, 14.988], ['marine', 9.85, 14.988], ['marine', 10.65, 14.988], ['marine', 7.5, 16.163], ['marine', 8.3, 16.163], ['marine', 9.1, 16.163], ['marine', 9.9, 16.163], ['marauder', 7.688, 17.15], ['marauder', 8.863, 17.15]],
      enemies: [['medivac', 24.125, 17.013], ['marine', 22.95, 17.013], ['marine', 22.15, 17.013], ['marine', 21.35, 17.013], ['marine', 24.5, 15.837], ['marine', 23.7, 15.837], ['marine', 22.9, 15.837], ['marine', 22.1, 15.837], ['marauder', 24.312, 14.85], ['marauder', 23.138, 14.85]],
    },
  },
  {
    name: 'MMM2',
    limit: 180,
    terrain: 'strip',
    allies: [
      { unit: 'marauder', count: 2, at: [9, 16] },
      { unit: 'marine', count: 7, at: [9, 16] },
      { unit: 'medivac', count: 1, at: [9, 16] },
    ],
    enemies: [
      { unit: 'marine', count: 8, at: [23, 16] },
      { unit: 'marauder', count: 3, at: [23, 16] },
      { unit: 'medivac', count: 1, at: [23, 16] },
    ],
    order: { kind: 'attack-move', to: [9, 16] },
    // prettier-ignore
    smaclite: {
      allies: [['medivac', 7.875, 14.988], ['marine', 9.05, 14.988], ['marine', 9.85, 14.988], ['marine', 10.65, 14.988], ['marine', 7.5, 16.163], ['marine', 8.3, 16.163], ['marine', 9.1, 16.163], ['marine', 9.9, 16.163], ['marauder', 7.688, 17.15], ['marauder', 8.863, 17.15]],
      enemies: [['medivac', 24.312, 17.013], ['marine', 23.138, 17.013], ['marine', 22.337, 17.013], ['marine', 21.538, 17.013], ['marine', 24.688, 15.837], ['marine', 23.888, 15.837], ['marine', 23.087, 15.837], ['marine', 22.288, 15.837], ['marine', 24.688, 14.85], ['marauder', 23.7, 14.85], ['marauder', 22.525, 14.85], ['marauder', 21.35, 14.85]],
    },
  },
  {
    name: '2s3z',
    limit: 120,
    terrain: 'strip',
    allies: [
      { unit: 'stalker', count: 2, at: [9, 16] },
      { unit: 'zealot', count: 3, at: [9, 16] },
    ],
    enemies: [
      { unit: 'stalker', count: 2, at: [23, 16] },
      { unit: 'zealot', count: 3, at: [23, 16] },
    ],
    order: { kind: 'attack-move', to: [9, 16] },
    // prettier-ignore
    smaclite: {
      allies: [['stalker', 7.875, 15.45], ['stalker', 9.175, 15.45], ['zealot', 10.35, 15.45], ['zealot', 7.75, 16.625], ['zealot', 8.8, 16.625]],
      enemies: [['stalker', 24.125, 16.55], ['stalker', 22.825, 16.55], ['zealot', 21.65, 16.55], ['zealot', 24.25, 15.375], ['zealot', 23.2, 15.375]],
    },
  },
  {
    name: '3s5z',
    limit: 150,
    terrain: 'strip',
    allies: [
      { unit: 'stalker', count: 3, at: [9, 16] },
      { unit: 'zealot', count: 5, at: [9, 16] },
    ],
    enemies: [
      { unit: 'stalker', count: 3, at: [23, 16] },
      { unit: 'zealot', count: 5, at: [23, 16] },
    ],
    order: { kind: 'attack-move', to: [9, 16] },
    // prettier-ignore
    smaclite: {
      allies: [['stalker', 7.75, 14.95], ['stalker', 9.05, 14.95], ['stalker', 10.35, 14.95], ['zealot', 7.625, 16.125], ['zealot', 8.675, 16.125], ['zealot', 9.725, 16.125], ['zealot', 7.625, 17.175], ['zealot', 8.675, 17.175]],
      enemies: [['stalker', 24.25, 17.05], ['stalker', 22.95, 17.05], ['stalker', 21.65, 17.05], ['zealot', 24.375, 15.875], ['zealot', 23.325, 15.875], ['zealot', 22.275, 15.875], ['zealot', 24.375, 14.825], ['zealot', 23.325, 14.825]],
    },
  },
  {
    name: '3s5z_vs_3s6z',
    limit: 170,
    terrain: 'strip',
    allies: [
      { unit: 'stalker', count: 3, at: [9, 16] },
      { unit: 'zealot', count: 5, at: [9, 16] },
    ],
    enemies: [
      { unit: 'stalker', count: 3, at: [23, 16] },
      { unit: 'zealot', count: 6, at: [23, 16] },
    ],
    order: { kind: 'attack-move', to: [9, 16] },
    // prettier-ignore
    smaclite: {
      allies: [['stalker', 7.75, 14.95], ['stalker', 9.05, 14.95], ['stalker', 10.35, 14.95], ['zealot', 7.625, 16.125], ['zealot', 8.675, 16.125], ['zealot', 9.725, 16.125], ['zealot', 7.625, 17.175], ['zealot', 8.675, 17.175]],
      enemies: [['stalker', 24.25, 17.05], ['stalker', 22.95, 17.05], ['stalker', 21.65, 17.05], ['zealot', 24.375, 15.875], ['zealot', 23.325, 15.875], ['zealot', 22.275, 15.875], ['zealot', 24.375, 14.825], ['zealot', 23.325, 14.825], ['zealot', 22.275, 14.825]],
    },
  },
  {
    name: '3s_vs_3z',
    limit: 150,
    terrain: 'open',
    allies: [{ unit: 'stalker', count: 3, at: [9, 16] }],
    enemies: [{ unit: 'zealot', count: 3, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
  },
  {
    name: '3s_vs_4z',
    limit: 200,
    terrain: 'open',
    allies: [{ unit: 'stalker', count: 3, at: [9, 16] }],
    enemies: [{ unit: 'zealot', count: 4, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
  },
  {
    name: '3s_vs_5z',
    limit: 250,
    terrain: 'open',
    allies: [{ unit: 'stalker', count: 3, at: [9, 16] }],
    enemies: [{ unit: 'zealot', count: 5, at: [23, 16] }],
    order: { kind: 'attack-move', to: [9, 16] },
    // prettier-ignore
    smaclite: {
      allies: [['stalker', 8.375, 15.35], ['stalker', 9.675, 15.35], ['stalker', 8.375, 16.65]],
      enemies: [['zealot', 24.0, 16.55], ['zealot', 22.95, 16.55], ['zealot', 21.9, 16.55], ['zealot', 24.0, 15.5], ['zealot', 22.95, 15.5]],
    },
  },
  {
    name: '1c3s5z',
    limit: 180,
    terrain: 'strip',
    allies: [
      { unit: 'colossus', count: 1, at: [9, 16] },
      { unit: 'stalker', count: 3, at: [9, 16] },
      { unit: 'zealot', count: 5, at: [9, 16] },
    ],
    enemies: [
      { unit: 'colossus', count: 1, at: [23, 16] },
      { unit: 'stalker', count: 3, at: [23, 16] },
      { unit: 'zealot', count: 5, at: [23, 16] },
    ],
    order: { kind: 'attack-move', to: [9, 16] },
  },
  {
    name: '2m_vs_1z',
    limit: 150,
    terrain: 'octagon',
    allies: [
      { unit: 'marine', count: 1, at: [13, 12] },
      { unit: 'marine', count: 1, at: [19, 12] },
    ],
    enemies: [{ unit: 'zealot', count: 1, at: [16, 19] }],
    order: { kind: 'segment', from: [13, 12], to: [19, 12] },
  },
  {
    name: 'corridor',
    limit: 400,
    terrain: 'corridor',
    allies: [{ unit: 'zealot', count: 6, at: [19.0397, 19.1198] }],
    enemies: [{ unit: 'zergling', count: 24, at: [27.91, 28.24] }],
    order: { kind: 'attack-move', to: [4.47, 4.3298] },
    // prettier-ignore
    smaclite: {
      allies: [['zealot', 18.04, 18.57], ['zealot', 19.09, 18.57], ['zealot', 20.14, 18.57], ['zealot', 18.04, 19.62], ['zealot', 19.09, 19.62], ['zealot', 20.14, 19.62]],
      enemies: [['zergling', 29.41, 29.84], ['zergling', 28.61, 29.84], ['zergling', 27.81, 29.84], ['zergling', 27.01, 29.84], ['zergling', 26.21, 29.84], ['zergling', 29.41, 29.04], ['zergling', 28.61, 29.04], ['zergling', 27.81, 29.04], ['zergling', 27.01, 29.04], ['zergling', 26.21, 29.04], ['zergling', 29.41, 28.24], ['zergling', 28.61, 28.24], ['zergling', 27.81, 28.24], ['zergling', 27.01, 28.24], ['zergling', 26.21, 28.24], ['zergling', 29.41, 27.44], ['zergling', 28.61, 27.44], ['zergling', 27.81, 27.44], ['zergling', 27.01, 27.44], ['zergling', 26.21, 27.44], ['zergling', 29.41, 26.64], ['zergling', 28.61, 26.64], ['zergling', 27.81, 26.64], ['zergling', 27.01, 26.64]],
    },
  },
  {
    name: '6h_vs_8z',
    limit: 150,
    terrain: 'box',
    allies: [{ unit: 'hydralisk', count: 6, at: [14.5998, 9.49] }],
    enemies: [{ unit: 'zealot', count: 8, at: [14.41, 16.7597] }],
    order: { kind: 'attack-move', to: [14.5998, 9.49] },
  },
  {
    name: '2s_vs_1sc',
    limit: 300,
    terrain: 'pentagon',
    allies: [
      { unit: 'stalker', count: 1, at: [11.1208, 10.338] },
      { unit: 'stalker', count: 1, at: [16.976, 10.3662] },
    ],
    enemies: [{ unit: 'spine_crawler', count: 1, at: [13.92, 20.0397] }],
    order: { kind: 'none' },
    // prettier-ignore
    smaclite: {
      allies: [['stalker', 11.12, 10.34], ['stalker', 16.98, 10.37]],
      enemies: [['spine_crawler', 13.92, 20.04]],
    },
  },
  {
    name: 'so_many_baneling',
    limit: 100,
    terrain: 'diagonal',
    allies: [{ unit: 'zealot', count: 7, at: [11.469, 12.0234] }],
    enemies: [{ unit: 'baneling', count: 32, at: [27.91, 28.24] }],
    order: { kind: 'attack-move', to: [4.47, 4.3298] },
  },
  {
    name: 'bane_vs_bane',
    limit: 200,
    terrain: 'octagon',
    allies: [
      { unit: 'baneling', count: 4, at: [16, 8] },
      { unit: 'zergling', count: 20, at: [16, 11] },
    ],
    enemies: [
      { unit: 'zergling', count: 20, at: [16, 21] },
      { unit: 'baneling', count: 4, at: [16, 24] },
    ],
    order: { kind: 'attack-move', to: [16, 8] },
    // prettier-ignore
    smaclite: {
      allies: [['zergling', 14.5, 9.775], ['zergling', 15.3, 9.775], ['zergling', 16.1, 9.775], ['zergling', 16.9, 9.775], ['zergling', 17.7, 9.775], ['zergling', 14.5, 10.575], ['zergling', 15.3, 10.575], ['zergling', 16.1, 10.575], ['zergling', 16.9, 10.575], ['zergling', 17.7, 10.575], ['zergling', 14.5, 11.375], ['zergling', 15.3, 11.375], ['zergling', 16.1, 11.375], ['zergling', 16.9, 11.375], ['zergling', 17.7, 11.375], ['zergling', 14.5, 12.175], ['zergling', 15.3, 12.175], ['zergling', 16.1, 12.175], ['zergling', 16.9, 12.175], ['zergling', 17.7, 12.175], ['baneling', 15.625, 7.6], ['baneling', 16.425, 7.6], ['baneling', 15.625, 8.4], ['baneling', 16.425, 8.4]],
      enemies: [['baneling', 16.375, 24.4], ['baneling', 15.575, 24.4], ['baneling', 16.375, 23.6], ['baneling', 15.575, 23.6], ['zergling', 17.5, 22.225], ['zergling', 16.7, 22.225], ['zergling', 15.9, 22.225], ['zergling', 15.1, 22.225], ['zergling', 14.3, 22.225], ['zergling', 17.5, 21.425], ['zergling', 16.7, 21.425], ['zergling', 15.9, 21.425], ['zergling', 15.1, 21.425], ['zergling', 14.3, 21.425], ['zergling', 17.5, 20.625], ['zergling', 16.7, 20.625], ['zergling', 15.9, 20.625], ['zergling', 15.1, 20.625], ['zergling', 14.3, 20.625], ['zergling', 17.5, 19.825], ['zergling', 16.7, 19.825], ['zergling', 15.9, 19.825], ['zergling', 15.1, 19.825], ['zergling', 14.3, 19.825]],
    },
  },
  {
    name: '2c_vs_64zg',
    limit: 400,
    terrain: 'plateau',
    allies: [{ unit: 'colossus', count: 2, at: [16, 16] }],
    enemies: [{ unit: 'zergling', count: 64, at: [16, 9] }],
    order: { kind: 'closest' },
    // prettier-ignore
    smaclite: {
      allies: [['colossus', 15.0, 15.975], ['colossus', 17.05, 15.975]],
      enemies: [['zergling', 18.625, 11.8], ['zergling', 17.825, 11.8], ['zergling', 17.025, 11.8], ['zergling', 16.225, 11.8], ['zergling', 15.425, 11.8], ['zergling', 14.625, 11.8], ['zergling', 13.825, 11.8], ['zergling', 13.025, 11.8], ['zergling', 18.625, 11.0], ['zergling', 17.825, 11.0], ['zergling', 17.025, 11.0], ['zergling', 16.225, 11.0], ['zergling', 15.425, 11.0], ['zergling', 14.625, 11.0], ['zergling', 13.825, 11.0], ['zergling', 13.025, 11.0], ['zergling', 18.625, 10.2], ['zergling', 17.825, 10.2], ['zergling', 17.025, 10.2], ['zergling', 16.225, 10.2], ['zergling', 15.425, 10.2], ['zergling', 14.625, 10.2], ['zergling', 13.825, 10.2], ['zergling', 13.025, 10.2], ['zergling', 18.625, 9.4], ['zergling', 17.825, 9.4], ['zergling', 17.025, 9.4], ['zergling', 16.225, 9.4], ['zergling', 15.425, 9.4], ['zergling', 14.625, 9.4], ['zergling', 13.825, 9.4], ['zergling', 13.025, 9.4], ['zergling', 18.625, 8.6], ['zergling', 17.825, 8.6], ['zergling', 17.025, 8.6], ['zergling', 16.225, 8.6], ['zergling', 15.425, 8.6], ['zergling', 14.625, 8.6], ['zergling', 13.825, 8.6], ['zergling', 13.025, 8.6], ['zergling', 18.625, 7.8], ['zergling', 17.825, 7.8], ['zergling', 17.025, 7.8], ['zergling', 16.225, 7.8], ['zergling', 15.425, 7.8], ['zergling', 14.625, 7.8], ['zergling', 13.825, 7.8], ['zergling', 13.025, 7.8], ['zergling', 18.625, 7.0], ['zergling', 17.825, 7.0], ['zergling', 17.025, 7.0], ['zergling', 16.225, 7.0], ['zergling', 15.425, 7.0], ['zergling', 14.625, 7.0], ['zergling', 13.825, 7.0], ['zergling', 13.025, 7.0], ['zergling', 18.625, 6.2], ['zergling', 17.825, 6.2], ['zergling', 17.025, 6.2], ['zergling', 16.225, 6.2], ['zergling', 15.425, 6.2], ['zergling', 14.625, 6.2], ['zergling', 13.825, 6.2], ['zergling', 13.025, 6.2]],
    },
  },
]
