#if NATS
    /// The position of a follower in a stream, as a state machine.
    ///
    /// All numbers come from a server: an epoch and a ``StreamSequence`` together never overflow.
    package struct FollowedPosition {
        package enum Step: Equatable {
            /// The next event, with its position.
            case next(UInt64)
            /// Events up to the first position no longer exist; the message is the next one.
            case after(gap: UInt64, UInt64)
            /// Messages to this consumer were lost on the way, or its numbers contradict each other.
            case missing
            case repeated
        }

        /// The number of the stream, from which positions begin.
        private(set) var epoch: UInt64 = 0
        /// The sequence of the last event that was followed, or begun after.
        private(set) var sequence: UInt64 = 0
        /// The number of consumers that were used, which marks their messages.
        private(set) var consumer: UInt64 = 0
        /// The number of messages that the consumer has delivered.
        private(set) var delivered: UInt64 = 0

        /// The number of consumers since the last event or heartbeat that was in order.
        private var fruitless = 0

        package init(epoch: UInt64 = 0, sequence: UInt64 = 0) {
            self.epoch = epoch
            self.sequence = sequence
        }

        /// Returns the time before another consumer is created: none at first, and longer and longer if none works.
        package mutating func pauseBeforeConsumer() -> Duration {
            defer { fruitless += 1 }
            return fruitless == 0 ? .zero : .seconds(min(30, 1 << min(fruitless - 1, 5)))
        }

        package mutating func beginConsumer() -> (consumer: UInt64, after: UInt64) {
            consumer += 1
            delivered = 0
            return (consumer, sequence)
        }

        /// Returns whether messages are missing that a heartbeat counts.
        package mutating func lacksMessages(of heartbeat: UInt64) -> Bool {
            if heartbeat == delivered { fruitless = 0 }
            return heartbeat > delivered
        }

        package mutating func advance(to place: DeliveredPosition) -> Step {
            guard place.consumerSequence == delivered + 1 else {
                return place.consumerSequence <= delivered ? .repeated : .missing
            }
            // A consumer begins after the position, unless an earlier message wrongly went beyond the stream.
            guard place.streamSequence > sequence else { return .missing }
            delivered += 1
            fruitless = 0
            let isNext = place.streamSequence == sequence + 1
            sequence = place.streamSequence
            return isNext ? .next(epoch + sequence) : .after(gap: epoch + sequence - 1, epoch + sequence)
        }

        /// Continues in a stream as it is now.
        ///
        /// - Returns: The position of a gap if the stream no longer has the next event.
        package mutating func resume(in info: StreamInfo) -> UInt64? {
            let isSame = info.epoch == epoch && info.state.lastSeq >= sequence
            // The first sequence of an empty stream is the next one.
            if isSame, info.state.firstSeq <= sequence + 1 || info.state.lastSeq == sequence { return nil }
            let last = isSame ? max(sequence, info.state.firstSeq - 1) : info.state.lastSeq
            epoch = info.epoch
            sequence = last
            return epoch + last
        }
    }
#endif
