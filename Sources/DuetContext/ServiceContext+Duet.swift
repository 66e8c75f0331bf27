#if HTTP

    public import ServiceContextModule

    /// What travels beside a message: carriers take it from one process to the next, and only what needs it reads it.
    extension ServiceContext {
        /// By when the answer is of use; nil for no limit.
        public var deadline: Deadline? {
            get { self[DeadlineKey.self] }
            set { self[DeadlineKey.self] = newValue }
        }

        /// On whose behalf the message is handled; nil for a stranger.
        public var principal: Principal? {
            get { self[PrincipalKey.self] }
            set { self[PrincipalKey.self] = newValue }
        }

        /// What marks several sendings of a command as one and the same, so that it is done once.
        ///
        /// Set by a caller, it goes along with each command that is sent over HTTP, except one with a key of its own. The key
        /// that a server received with a command is handed on only with commands of the same name: others are other work.
        public var idempotencyKey: String? {
            get { self[IdempotencyKeyKey.self]?.value }
            set { self[IdempotencyKeyKey.self] = newValue.map { IdempotencyKey(value: $0, message: nil) } }
        }

        /// The key for commands of a name: the one that a caller set, or that came with a command of the same name.
        package func idempotencyKey(for message: String) -> String? {
            guard let key = self[IdempotencyKeyKey.self], key.message == nil || key.message == message else {
                return nil
            }
            return key.value
        }

        /// Notes the key that a command of this name came with.
        package mutating func receiveIdempotencyKey(_ key: String?, of message: String) {
            self[IdempotencyKeyKey.self] = key.map { IdempotencyKey(value: $0, message: message) }
        }
    }

    /// A key, and the name of the message that it came with; nil when a caller set it.
    private struct IdempotencyKey {
        let value: String
        let message: String?
    }

    private enum DeadlineKey: ServiceContextKey {
        typealias Value = Deadline
    }

    private enum PrincipalKey: ServiceContextKey {
        typealias Value = Principal
    }

    private enum IdempotencyKeyKey: ServiceContextKey {
        typealias Value = IdempotencyKey
    }

#endif
