// Command hipify turns one CUDA source or header into HIP with hipify-perl, and refuses what that leaves unconverted: hipify --help
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/hiploom/hiploom/tools/hipify/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := command.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
