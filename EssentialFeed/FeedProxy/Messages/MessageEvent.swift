/// What a connection is told of the message that is arriving on it.
enum MessageEvent {
    /// It is complete.
    case ended

    /// Nobody reads its body any more.
    case abandoned
}
