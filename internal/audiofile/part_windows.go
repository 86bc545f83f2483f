package audiofile

import "os"

// claimPart need not do anything: Windows removes no file that is open.
func claimPart(*os.File) bool { return true }

// removeAbandonedPart removes the file unless somebody is writing it.
func removeAbandonedPart(name string) { os.Remove(name) }

// replaceByPart closes the file before it is renamed: Windows renames no file that is open.
func replaceByPart(part *os.File, target string) error {
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), target)
}
