#if NATS
    /// The parts of a stream's configuration that this module sets; times are nanoseconds.
    struct StreamConfiguration: Codable {
        var name: String
        var subjects: [String]?
        var description: String?
        var retention = "limits"
        var storage: String
        var discard = "old"
        var numReplicas: Int
        var maxAge: Int64
        var maxBytes: Int64?
        var maxMsgsPerSubject: Int64?
        var duplicateWindow: Int64?

        init(name: String, subjects: [String], storage: String, replicas: Int, maxAge: Duration) {
            self.name = name
            self.subjects = subjects
            self.storage = storage
            numReplicas = replicas
            self.maxAge = maxAge.nanoseconds
        }

        /// Whether a stream need not be updated to become this one.
        func matches(_ other: StreamConfiguration) -> Bool {
            numReplicas == other.numReplicas && maxAge == other.maxAge && discard == other.discard
                && (maxBytes ?? -1) == (other.maxBytes ?? -1)
                && (maxMsgsPerSubject ?? -1) == (other.maxMsgsPerSubject ?? -1)
                && (duplicateWindow == nil || duplicateWindow == other.duplicateWindow)
                && description == other.description
        }
    }

    package struct StreamInfo: Decodable, Sendable {
        package struct State: Decodable, Sendable {
            let messages: UInt64
            @StreamSequence var firstSeq: UInt64
            @StreamSequence var lastSeq: UInt64
            /// The number of messages of each subject, if the request had a filter.
            let subjects: [String: Int]?
        }

        let config: StreamConfiguration
        let created: String
        let state: State

        /// A number for the stream that is larger for each later one of the same name: microseconds since 1970.
        ///
        /// A position is this number and the sequence together, so that positions grow even if the stream was lost.
        package var epoch: UInt64 { ServerTime.microseconds(created) }
    }
#endif
