// Command lock writes and checks lock files of packages from signed apt archives: bazel run //toolchains/rocm:lock -- --help
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := command.Run(ctx, os.Args[1:], command.Environment{
		Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Apt: os.DirFS("/etc/apt"), Now: time.Now,
	})
	stop()
	os.Exit(status)
}
