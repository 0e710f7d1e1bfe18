# Prints an --override_module line for every module of a workspace's graph, since Bazel refuses one for a module
# that is not in it. Starts at the workspace's MODULE.bazel and follows bazel_dep from module to module.
# usage: awk -v list= -v standin= -v tree= -v gomodules= -v root= -f overrides.awk MODULE.bazel

function field(call, name,    text) {
  text = call
  if (!match(text, "[(, ]" name "[ ]*=[ ]*\"[^\"]*\"")) return ""
  text = substr(text, RSTART, RLENGTH)
  sub(/^[^"]*"/, "", text)
  sub(/"$/, "", text)
  return text
}

# Notes the modules that one MODULE.bazel asks for; those for development count in the workspace itself only.
function read_module(file, is_workspace, asked_by,    line, call, name) {
  while ((getline line <file) > 0) {
    sub(/^[ \t]*#.*/, "", line)
    if (call == "" && line !~ /^(bazel_dep|local_path_override|module|archive_override|git_override)[ ]*\(/) continue
    call = call " " line
    if (line !~ /\)[ \t]*(#.*)?$/) continue
    name = field(call, "name")
    if (call ~ /^ module/) {
      if (is_workspace) known[name] = 1
    } else if (call ~ /^ bazel_dep/) {
      if (name != "" && (is_workspace || call !~ /dev_dependency[ ]*=[ ]*True/) && !(name in asked)) {
        asked[name] = asked_by
        queue[++last] = name
      }
    } else if (is_workspace) {
      name = field(call, "module_name")
      overridden[name] = 1
      if (call ~ /^ local_path_override/) local[name] = field(call, "path")
    }
    call = ""
  }
  close(file)
}

function quoted(text) {
  gsub(/["\\]/, "\\\\&", text)
  return "\"" text "\""
}

function version_of(name,    line, version) {
  while ((getline line <(root "/MODULE.bazel")) > 0)
    if (line ~ "^bazel_dep\\(name = \"" name "\"") version = field(line, "version")
  close(root "/MODULE.bazel")
  return version
}

BEGIN {
  workspace_file = ARGV[1]
  workspace = workspace_file
  sub(/\/MODULE\.bazel$/, "", workspace)
  while ((getline line <list) > 0) {
    sub(/#.*/, "", line)
    if (split(line, part, " ") < 3) continue
    if (part[2] == "debian") place[part[1]] = tree "/" part[3]
    if (part[2] == "standin") place[part[1]] = standin "/" part[3]
    if (part[2] == "go") place[part[1]] = gomodules "/" part[1] "-" version_of(part[1])
  }
  place["hiploom"] = root

  read_module(workspace_file, 1, "the workspace")
  # Bazel's own tools are part of every graph.
  read_module(tree "/usr/share/bazel/embedded_tools/MODULE.bazel", 0, "Bazel's own tools")
  for (i = 1; i <= last; i++) {
    name = queue[i]
    if (name in known) continue
    known[name] = 1
    if (name in local) {
      path = local[name]
      if (path !~ /^\//) path = workspace "/" path
      read_module(path "/MODULE.bazel", 0, name)
    } else if (name in overridden) {
      continue
    } else if (name in place) {
      read_module(place[name] "/MODULE.bazel", 0, name)
      shown = place[name]
      # Inside the tree its /usr is the /usr.
      if (index(shown, tree "/usr/") == 1) shown = substr(shown, length(tree) + 1)
      print "common " quoted("--override_module=" name "=" shown)
    } else {
      printf "bazelw: warning: %s asks for the module %s, which neither Debian nor the Go module proxy has; Bazel will look for it on the web\n", asked[name], name >"/dev/stderr"
    }
  }
}
