package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/resolve"
)

const (
	defaultKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

	usage = `lock writes and checks lock files of packages from signed apt archives.

  lock --new FILE --suite SUITE --package ROLE=NAME[=VERSION] ... [--mirror URL] [--keyring FILE] [--snapshot URL]
      writes a lock of the newest versions, or of those given
  lock --add FILE --archive NAME --suite SUITE --package ... --mirror URL --keyring FILE
      adds packages of another archive to a lock
  lock --update FILE
      renews a lock: the same packages, but for pinned ones at their newest versions
  lock --check FILE [--json]
      says what is out of date: exit status 0 if nothing is, 1 if something is, 2 on errors

Without --mirror, the archive is Debian's, as HIPLOOM_DEB_MIRROR (a list) and then apt's sources name it.
Relative paths start where bazel run was called.

Flags:
`
)

type flags struct {
	newFile, addFile, updateFile, checkFile string
	archive, architecture, snapshot         string
	suites, components                      list
	mirrors, keyrings                       perArchive
	packages                                requests
	packagesFile                            string
	requireValid, json                      bool
}

// parse reads the arguments; done means that help was all that was wanted.
func (p *program) parse(args []string) (done bool, err error) {
	set := flag.NewFlagSet("lock", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&p.newFile, "new", "", "write the lock `FILE`")
	set.StringVar(&p.addFile, "add", "", "add an archive to the lock `FILE`")
	set.StringVar(&p.updateFile, "update", "", "renew the lock `FILE`")
	set.StringVar(&p.checkFile, "check", "", "check the lock `FILE`")
	set.StringVar(&p.archive, "archive", "debian", "the archive's `NAME` in the lock")
	set.StringVar(&p.architecture, "architecture", "amd64", "Debian `NAME` of the packages' architecture")
	set.Var(&p.suites, "suite", "`SUITE` to take packages from; several by commas or repetition, and of equal versions the first one's is taken")
	set.Var(&p.components, "components", "`COMPONENTS` of the suites (default main)")
	set.Var(&p.packages, "package", "package as `ROLE=NAME[=VERSION]`; repeatable")
	set.StringVar(&p.packagesFile, "packages", "", "`FILE` of lines: role package [version]")
	set.Var(&p.mirrors, "mirror", "`URL` of the archive's root (http, https, file); with --update and --check instead of the lock's, as ARCHIVE=URL if it has several")
	set.Var(&p.keyrings, "keyring", "`FILE` of the keys that may sign the archive, binary or armored (default "+defaultKeyring+"); with --update and --check instead of the lock's, as ARCHIVE=FILE if it has several")
	set.StringVar(&p.snapshot, "snapshot", "", "`URL` of a permanent copy of the archive, with {timestamp} in it, for those who fetch the packages later")
	set.BoolVar(&p.requireValid, "require-valid", false, "refuse a Release that is past its Valid-Until, instead of a warning")
	set.BoolVar(&p.json, "json", false, "print --check's findings as JSON")
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		set.SetOutput(p.Stdout)
		fmt.Fprint(p.Stdout, usage)
		set.PrintDefaults()
		return true, nil
	} else if err != nil {
		return false, err
	}
	if set.NArg() > 0 {
		return false, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	return false, p.flags.validate(set)
}

func (f *flags) validate(set *flag.FlagSet) error {
	given := map[string]bool{}
	set.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var actions []string
	for _, name := range []string{"new", "add", "update", "check"} {
		if given[name] {
			actions = append(actions, name)
		}
	}
	if len(actions) != 1 {
		return errors.New("give one of --new, --add, --update and --check")
	}
	action := actions[0]
	if set.Lookup(action).Value.String() == "" {
		return fmt.Errorf("--%s needs a file", action)
	}
	if given["json"] && action != "check" {
		return errors.New("--json goes with --check only")
	}
	if action == "update" || action == "check" {
		for _, name := range []string{"archive", "architecture", "suite", "components", "package", "packages", "snapshot"} {
			if given[name] {
				return fmt.Errorf("--%s does not go with --%s, which takes it from the lock", name, action)
			}
		}
		return nil
	}
	if given["architecture"] && action == "add" {
		return errors.New("--architecture does not go with --add, which takes it from the lock")
	}
	if len(f.suites) == 0 {
		return fmt.Errorf("--%s needs a --suite", action)
	}
	if len(f.components) == 0 {
		f.components = list{"main"}
	}
	names := []string{f.archive}
	return errors.Join(f.mirrors.check("mirror", names), f.keyrings.check("keyring", names), checkNames(f))
}

// list is a flag of words, given by repetition or with commas.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			return errors.New("empty name")
		}
		*l = append(*l, word)
	}
	return nil
}

type requests []resolve.Request

func (r *requests) String() string { return "" }

func (r *requests) Set(text string) error {
	request, err := resolve.ParseRequest(text)
	if err == nil {
		*r = append(*r, request)
	}
	return err
}

// perArchive is a flag of a value for every archive, under "", or of values for named ones.
type perArchive map[string]string

var archiveAndValue = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*)=(.+)$`)

func (v *perArchive) String() string { return "" }

func (v *perArchive) Set(text string) error {
	archive, value := "", text
	if match := archiveAndValue.FindStringSubmatch(text); match != nil {
		archive, value = match[1], match[2]
	}
	if value == "" {
		return errors.New("empty")
	}
	if _, found := (*v)[archive]; found {
		return errors.New("given twice")
	}
	if *v == nil {
		*v = perArchive{}
	}
	(*v)[archive] = value
	return nil
}

// check refuses values that belong to none of the archives, or do not say to which.
func (v perArchive) check(flag string, archives []string) error {
	for archive := range v {
		if archive == "" && (len(archives) > 1 || len(v) > 1) {
			return fmt.Errorf("--%s: say for which archive, as in --%s %s=VALUE", flag, flag, archives[0])
		}
		if archive != "" && !slices.Contains(archives, archive) {
			return fmt.Errorf("--%s: no archive is named %s, only %s", flag, archive, strings.Join(archives, ", "))
		}
	}
	return nil
}

func (v perArchive) of(archive string) (string, bool) {
	if value, found := v[archive]; found {
		return value, true
	}
	value, found := v[""]
	return value, found
}

// only returns the flag's sole value, "" if it was not given.
func (v perArchive) only() string {
	for _, value := range v {
		return value
	}
	return ""
}
