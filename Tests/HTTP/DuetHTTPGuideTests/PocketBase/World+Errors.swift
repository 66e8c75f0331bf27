extension World {
    /// The error when there is no such speaker.
    func isNotFound(_ error: any Error, id: String) -> Bool {
        switch self {
        case .pocketBase: (error as? PocketBaseError)?.status == 404
        case .router: error as? NoSuchSpeaker == NoSuchSpeaker(id: id)
        }
    }

    /// The error when there is such a speaker already.
    func isTaken(_ error: any Error, id: String) -> Bool {
        switch self {
        case .pocketBase: (error as? PocketBaseError)?.data["id"]?.code == "validation_not_unique"
        case .router: error as? SpeakerExists == SpeakerExists(id: id)
        }
    }
}
