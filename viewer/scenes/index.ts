/** Every scene by environment id, loaded when first needed. Adding one adds a line here. */
import { type Scene } from './scene.ts'

const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  foraging: async () => new (await import('./foraging.ts')).ForagingScene(),
  warehouse: async () => new (await import('./warehouse.ts')).WarehouseScene(),
  skirmish: async () => new (await import('./skirmish.ts')).SkirmishScene(),
  spectrum: async () => new (await import('./spectrum.ts')).SpectrumScene(),
  particles: async () => new (await import('./particles.ts')).ParticlesScene(),
  coin: async () => new (await import('./coin.ts')).CoinScene(),
  storm: async () => new (await import('./storm.ts')).StormScene(),
  matrix: async () => new (await import('./matrix.ts')).MatrixScene(),
}

/** The scene of an environment; worlds without one, and those that cannot be simulated here, are drawn by their frames. */
export async function sceneFor(env: string, simulated: boolean): Promise<Scene> {
  if (simulated && Object.hasOwn(SCENES, env)) return SCENES[env]()
  return new (await import('./generic.ts')).GenericScene()
}
