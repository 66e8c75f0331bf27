#if Hummingbird

    import Logging

    /// Logs nothing, and keeps its metadata: Hummingbird reads the id of a request from there, and traps without it.
    struct SilentLogHandler: LogHandler {
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.critical

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {}
    }

#endif
