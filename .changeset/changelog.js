// Writes an entry like @changesets/changelog-git, but leaves out "Updated dependencies": all packages share one
// version, so that list would only repeat the heading, once for each changeset.

export const getReleaseLine = async ({ commit, summary }) => {
  const [first, ...others] = summary.split('\n').map((line) => line.trimEnd())
  const entry = commit === undefined ? `- ${first}` : `- ${commit.slice(0, 7)}: ${first}`
  return [entry, ...others.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

export const getDependencyReleaseLine = async () => ''
