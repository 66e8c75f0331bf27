public import FeedFeature

extension ImageMetadata {
    /// The text that names this kind.
    public var text: Text {
        switch self {
        case .location: .metadataLocation
        case .exif: .metadataCamera
        case .xmp: .metadataEditing
        case .iptc: .metadataPress
        case .text: .metadataTexts
        case .preview: .metadataPreviews
        case .trailing: .metadataTrailing
        case .other: .metadataOther
        }
    }
}

extension Language {
    /// Returns the sentence that names what was removed from an image before it was sent; nil for nothing.
    public func removedText(_ metadata: Set<ImageMetadata>) -> String? {
        guard !metadata.isEmpty else { return nil }
        let names = ImageMetadata.allCases.filter(metadata.contains).map { self[$0.text] }
        return text(.publishRemoved, names.joined(separator: ", "))
    }
}

extension InvalidImage {
    /// The advice that a screen shows beside the field of the file.
    public var text: Text {
        switch self {
        case .unknownFormat: .publishUnreadable
        case .heic: .publishHEIC
        case .incomplete: .publishIncomplete
        case .tooManyPixels: .publishTooManyPixels
        case .tooManyFrames: .publishTooManyFrames
        default: .publishDamaged
        }
    }
}
